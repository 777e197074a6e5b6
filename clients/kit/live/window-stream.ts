import { startTransition, useEffect, useState, useSyncExternalStore } from "react";
import { client } from "../client.ts";
import { type Connection, openStream } from "./stream.ts";
import { type Gathering, openWatched, type Shown, type Watched } from "./watched.ts";

/** The one of this window. */
const stream = openStream((parts, options) => client.watchMany(parts, options));
const watched = new Map<string, Watched>();

globalThis.document?.addEventListener("visibilitychange", () => stream.look(!document.hidden));

/** How this window is connected. */
export function useConnection(): Connection {
  return useSyncExternalStore(stream.listen, stream.connection);
}

/** Tells when the person's rights may have changed. */
export const { onRights } = stream;

/**
 * What is shown of a part; everything that asks with the same key shares one watch. News are drawn as a transition: in small
 * pieces, and after what a person does meanwhile.
 */
export function useWatched<T>(key: string, gather: () => Gathering<T>): Shown<T> {
  const one = findWatched(key, gather);
  const [told, setTold] = useState({ one, shown: one.shown() });
  useEffect(() => {
    const tell = () => {
      const shown = one.shown();
      startTransition(() => setTold((last) => (last.shown === shown ? last : { one, shown })));
    };
    const release = one.subscribe(tell);
    // What has come since it was drawn.
    tell();
    return release;
  }, [one]);
  return told.one === one ? told.shown : one.shown();
}

type Subscribed<T> = Watched<T> & { subscribe(listener: () => void): () => void };

function findWatched<T>(key: string, gather: () => Gathering<T>): Subscribed<T> {
  const known = watched.get(key) as Subscribed<T> | undefined;
  if (known !== undefined) return known;
  const opened = openWatched(key, gather());
  const made: Subscribed<T> = Object.assign(opened, {
    subscribe(listener: () => void) {
      watched.set(key, made as Watched);
      const unlisten = made.listen(listener);
      const release = stream.hold(made as Watched);
      return () => {
        unlisten();
        release();
        forgetLater(made as Watched);
      };
    },
  });
  watched.set(key, made as Watched);
  return made;
}

/** What nobody has shown for a while is not kept in memory; nor is a refusal, which may have been lifted. */
function forgetLater(one: Watched): void {
  setTimeout(() => {
    if (one.listeners === 0 && watched.get(one.key) === one) watched.delete(one.key);
  }, 5_000);
}
