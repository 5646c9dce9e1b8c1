/** keyOf is the key of a request among the prepared answers. */
export function keyOf(request: string): string;
