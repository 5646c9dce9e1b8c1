package operator

import (
	"context"
	"errors"

	corev1 "k8s.io/client-go/applyconfigurations/core/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// Finalizer delays the deletion of a store until its sign is deleted.
const Finalizer = "shop.example.com/sign"

// Reconciler creates a ConfigMap for the sign of each store.
type Reconciler struct{ client.Client }

// Reconcile implements reconcile.Reconciler.
func (r *Reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var store Store
	if err := r.Get(ctx, request.NamespacedName, &store); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !store.DeletionTimestamp.IsZero() {
		if controllerutil.RemoveFinalizer(&store, Finalizer) {
			return ctrl.Result{}, r.Update(ctx, &store)
		}
		return ctrl.Result{}, nil
	}
	if controllerutil.AddFinalizer(&store, Finalizer) {
		return ctrl.Result{}, r.Update(ctx, &store)
	}
	sign := corev1.ConfigMap(store.Name+"-sign", store.Namespace).WithData(map[string]string{"color": store.Spec.Color})
	if err := r.Apply(ctx, sign, client.FieldOwner("store-operator"), client.ForceOwnership); err != nil {
		return ctrl.Result{}, err
	}
	if want := store.Spec.Color + " sign"; store.Status.Sign != want {
		store.Status.Sign = want
		return ctrl.Result{}, r.Status().Update(ctx, &store)
	}
	return ctrl.Result{}, nil
}

// Setup adds the reconciler and the webhooks to a manager.
func Setup(m ctrl.Manager) error {
	if err := ctrl.NewControllerManagedBy(m).For(&Store{}).Complete(&Reconciler{m.GetClient()}); err != nil {
		return err
	}
	return ctrl.NewWebhookManagedBy(m, &Store{}).WithDefaulter(storeWebhook{}).WithValidator(storeWebhook{}).Complete()
}

// storeWebhook sets the color of stores and refuses one color.
type storeWebhook struct{}

var errPlaid = errors.New("plaid is not a color")

func (storeWebhook) Default(_ context.Context, s *Store) error {
	if s.Spec.Color == "" {
		s.Spec.Color = "green"
	}
	return nil
}

func (storeWebhook) ValidateCreate(_ context.Context, s *Store) (admission.Warnings, error) {
	if s.Spec.Color == "plaid" {
		return nil, errPlaid
	}
	return nil, nil
}

func (w storeWebhook) ValidateUpdate(ctx context.Context, _, s *Store) (admission.Warnings, error) {
	return w.ValidateCreate(ctx, s)
}

func (storeWebhook) ValidateDelete(context.Context, *Store) (admission.Warnings, error) {
	return nil, nil
}
