"""Published rule sets as values: deck lists, house rules and numbers, and the book that is made of them."""
