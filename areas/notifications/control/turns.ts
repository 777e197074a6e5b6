interface Turn {
  readonly channel: string;
  /** How many may be sent to it now. */
  readonly most: number;
}

/** Shares out what a replica can send at once: those come first that have waited longest for a turn, and none takes all the room. */
export interface Turns {
  /** Whose turn it is, of those for which something waits. */
  next(waiting: readonly string[]): Turn[];
  /** One begins to be sent to this channel; to be called when it has ended. */
  begin(channel: string): () => void;
}

export function openTurns(atOnce: number, ofOneChannel: number): Turns {
  const sending = new Map<string, number>();
  const lastTurn = new Map<string, number>();
  let turns = 0;
  const sendingTo = (channel: string) => sending.get(channel) ?? 0;

  return {
    next(waiting) {
      const known = new Set([...waiting, ...sending.keys()]);
      for (const channel of lastTurn.keys()) if (!known.has(channel)) lastTurn.delete(channel);
      const ready = waiting
        .filter((channel) => sendingTo(channel) < ofOneChannel)
        .sort((a, b) => (lastTurn.get(a) ?? 0) - (lastTurn.get(b) ?? 0));
      let room = atOnce - [...sending.values()].reduce((sum, count) => sum + count, 0);
      const share = Math.max(1, Math.floor(room / ready.length));
      return ready.flatMap((channel): Turn[] => {
        const most = Math.min(share, ofOneChannel - sendingTo(channel), room);
        room -= most;
        return most > 0 ? [{ channel, most }] : [];
      });
    },
    begin(channel) {
      sending.set(channel, sendingTo(channel) + 1);
      lastTurn.set(channel, ++turns);
      return () => {
        const left = sendingTo(channel) - 1;
        if (left > 0) sending.set(channel, left);
        else sending.delete(channel);
      };
    },
  };
}
