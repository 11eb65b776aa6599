"""The ways out. They know HTTP and SMTP, and nothing of this server: each gets a finished message."""
