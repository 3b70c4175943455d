"""What at least two functions use, in modules named after what they hold."""
