// Tools and the names of their field managers, where the name does not show the tool.

const tools: Record<string, string> = {
  "kubectl": "kubectl apply --server-side",
  "kubectl-client-side-apply": "kubectl apply",
  "kubectl-rollout": "kubectl rollout restart",
  "argocd-controller": "Argo CD", "cainjector": "cert-manager", "helm-controller": "Flux",
  "kustomize-controller": "Flux", "kubelet": "the node",
};

/** toolOf names what writes as a field manager, "" where that is not known. */
export function toolOf(manager: string, subresource = ""): string {
  if (manager === "kube-controller-manager") return subresource === "scale" ? "a HorizontalPodAutoscaler" : "a controller of Kubernetes";
  return Object.hasOwn(tools, manager) ? tools[manager]! : "";
}
