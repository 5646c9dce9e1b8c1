// Package requests measures what a request costs where people meet it: through a
// cluster, the server and a Lab, beside what the engines beneath take alone.
package requests
