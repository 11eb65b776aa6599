"""Mail that comes in: over real sockets, to real games. What goes out is caught in memory or by a real SMTP server."""
