import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useId,
  useRef,
  useSyncExternalStore,
} from "react";

/** Something that can be done on the open page, in the words of its button. */
export interface Offer {
  readonly label: string;
  /** What it is done to: the name of the resource, the run or the step. */
  readonly of: string;
  readonly icon?: ReactNode;
  /** What it means, where the words of a button do not say it. */
  readonly summary?: string;
  /** Why it cannot be done now. */
  readonly why?: string | undefined;
  readonly act: () => void;
}

/**
 * Around buttons that the command palette offers too, with what they are about. So whatever a page can do is found by its words,
 * with the same reasons and the same questions before it is done; a new kind's actions are, because its page has buttons for them.
 */
export const Offered = createContext<string | undefined>(undefined);

const offers = new Map<string, Offer>();
const listeners = new Set<() => void>();
let list: readonly Offer[] = [];

/** Offers it for as long as it is shown, if it stands within what is offered. */
export function useOffer({ label, icon, summary, why, act }: Omit<Offer, "of">): void {
  const of = useContext(Offered);
  const id = useId();
  const latest = useRef(act);
  latest.current = act;
  // In two steps, so that its place among the others stays when only its words change.
  useEffect(() => {
    if (of === undefined) return;
    return () => change(() => offers.delete(id));
  }, [of, id]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a button's icon changes with its label
  useEffect(() => {
    if (of === undefined) return;
    const offer = { label, of, icon, why, act: () => latest.current() };
    change(() => offers.set(id, summary === undefined ? offer : { ...offer, summary }));
  }, [of, id, label, summary, why]);
}

/** What can be done on the open page, in the order of its buttons. */
export function useOffers(): readonly Offer[] {
  return useSyncExternalStore(listen, () => list);
}

function change(make: () => unknown): void {
  make();
  list = [...offers.values()];
  for (const listener of [...listeners]) listener();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
