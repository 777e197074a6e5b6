/** Whether something may be done, and if not why: the server refuses by it, the console greys out by it. */
export type Verdict = { readonly yes: true } | { readonly yes: false; readonly why: string };

export const yes: Verdict = { yes: true };

export function no(why: string): Verdict {
  return { yes: false, why };
}
