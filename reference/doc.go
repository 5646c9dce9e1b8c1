// Package reference implements the engines of packages patch and fieldmanager with the
// libraries of kube-apiserver and kubectl: structured-merge-diff v6, strategicpatch and
// json-patch v4. patchlab's own engines are tested against it. Programs may use it instead
// of the faster engines of patchlab. No other package imports it, so only programs that use
// it link the libraries.
package reference
