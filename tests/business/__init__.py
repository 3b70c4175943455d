"""A made-up Italian business with known answers, and the questions that its owner puts to the assistant.

Days are relative to today, so that the business is as old on every day that the tests run.
"""
