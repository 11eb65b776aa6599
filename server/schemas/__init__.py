"""What goes in and out, one file a resource. Requests are closed and strict; answers are open and may grow."""
