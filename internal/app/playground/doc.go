// Package playground answers the page in the browser: a request in JSON comes
// in, a response in JSON goes out (see [Engine.Handle] and doc/playground.md).
//
// All that the page shows is decided here and tested without a browser; the page
// only draws it. The types of the messages are Go structs; the page's TypeScript
// types in web/src/messages.ts are written from them by a test
// (go test ./internal/app/playground -update).
package playground
