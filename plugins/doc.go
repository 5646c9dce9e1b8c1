// Package plugins implements the admission plugins of kube-apiserver that change or refuse objects
// by what else is in the cluster: default classes, priorities, limits, and the like. They run
// only if [Configure] names them, because an API server in a test often runs without them.
//
// The plugins are those that kube-apiserver enables by default, except for the ones that depend on
// authorization, which package rbac implements. PodSecurity is in the module admission, as are
// policies and webhooks, which run after the plugins. Two plugins need a controller of package
// controllers: [ResourceQuota] and [ServiceAccount]. doc/plugins.md describes each plugin.
package plugins
