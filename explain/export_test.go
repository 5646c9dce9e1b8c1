package explain

// Compared is for the tests that need package scenario, which imports this one.
var Compared = compared
