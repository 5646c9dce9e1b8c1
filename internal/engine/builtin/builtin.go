// Package builtin holds the catalog of the built-in kinds where a program loads it from a
// file of its own.
package builtin

// Catalog is the content of schema/catalog.bin. A program that is built with the tag
// catalogfile sets it before it uses package schema; in all others package schema embeds
// the file, and nothing reads this variable.
var Catalog string
