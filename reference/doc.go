// Package reference does the work of patch and fieldmanager with the libraries
// that kube-apiserver and kubectl themselves are built on. It is the judge of
// patchlab's own engines, and a choice for those who trust the libraries more
// than speed. Nothing else imports it, so that its weight is carried only by
// who asks for it.
package reference
