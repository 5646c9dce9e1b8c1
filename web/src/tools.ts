// The tools behind field managers whose names do not show the tool.

const tools: Record<string, string> = {
  kubectl: "kubectl apply --server-side",
  "kubectl-client-side-apply": "kubectl apply",
  "kubectl-rollout": "kubectl rollout restart",
  "argocd-controller": "Argo CD",
  cainjector: "cert-manager",
  "helm-controller": "Flux",
  "kustomize-controller": "Flux",
  kubelet: "the node",
};

/** toolOf returns the tool that uses a field manager's name, "" if it is unknown. */
export function toolOf(manager: string, subresource = ""): string {
  if (manager === "kube-controller-manager")
    return subresource === "scale" ? "a HorizontalPodAutoscaler" : "a controller of Kubernetes";
  if (manager === "kubectl" && subresource === "scale") return "kubectl scale";
  return Object.hasOwn(tools, manager) ? tools[manager]! : "";
}
