/** A tick as the clock of its own time zone shows it, which is how its schedule is written. */
export function tickText(at: Date, timeZone: string): string {
  return at.toLocaleString(undefined, {
    timeZone,
    weekday: "short",
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
    ...(at.getSeconds() === 0 ? {} : { second: "2-digit" }),
    timeZoneName: "short",
  });
}
