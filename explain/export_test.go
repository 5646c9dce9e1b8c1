package explain

// Compared is exported for tests that need package scenario, which imports this package.
var Compared = compared
