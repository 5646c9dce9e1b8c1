// Package builtin holds the catalog of the built-in kinds in programs that load it from a
// separate file.
package builtin

// Catalog is the content of schema/catalog.bin. A program that is built with the tag
// catalogfile sets it before it uses package schema; in all others package schema embeds
// the file, and nothing reads this variable.
var Catalog string
