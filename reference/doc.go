// Package reference implements the engines of the packages patch and fieldmanager with
// the libraries that kube-apiserver and kubectl use: structured-merge-diff v6,
// strategicpatch and json-patch v4. patchlab's own engines are compared with it, and
// programs that prefer the libraries to speed can choose it. No other package imports
// it, so that only programs that do carry the libraries.
package reference
