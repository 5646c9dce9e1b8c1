// Package playground implements the engine of the browser page: it answers requests in JSON
// with responses in JSON (see [Engine.Handle] and doc/playground.md).
//
// All that the page shows is computed here, where it is tested without a browser; the page
// only renders it. The messages are Go structs, from which a test generates the TypeScript
// types in web/src/messages.ts (go test ./internal/app/playground -update).
package playground
