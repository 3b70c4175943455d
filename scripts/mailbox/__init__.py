"""The development mailbox: takes every mail the product sends and shows it, lets none of them out."""
