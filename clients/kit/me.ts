import type { KindInfo, Whoami } from "@reeve/sdk";
import { createContext, useContext } from "react";

/** What a signed-in window knows from its first moment on. */
export interface Me {
  readonly whoami: Whoami;
  readonly kinds: readonly KindInfo[];
}

export const MeContext = createContext<Me | undefined>(undefined);

function useMe(): Me {
  const me = useContext(MeContext);
  if (me === undefined) throw new Error("nobody is signed in here");
  return me;
}

export function useWhoami(): Whoami {
  return useMe().whoami;
}

/** Every kind that the server has, also those that this console was not built with. */
export function useKinds(): readonly KindInfo[] {
  return useMe().kinds;
}

/** The kind of this name or plural. */
export function useKind(word: string): KindInfo | undefined {
  return useKinds().find(({ name, plural }) => name === word || plural === word);
}
