"""The main pages in browsers that Playwright does not bring, by WebDriver."""
