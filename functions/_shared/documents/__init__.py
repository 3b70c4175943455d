"""Reading documents: what a file is, its pages as words with places, what else is packed in it.

decoder     runs in the sandbox and sees the bytes; everything it imports is pure
reading     calls it, with limits and typed answers
queries     the tables
"""
