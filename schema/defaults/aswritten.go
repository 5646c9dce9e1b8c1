//go:build !js

package defaults

// textOrder enables AsWritten. The engines for browsers are built without it, which keeps them within
// their budgets (web/budget.json).
const textOrder = true
