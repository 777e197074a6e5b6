/** The command was written wrongly: nothing was asked of the server. Not a Fault, because no door but this one knows it. */
export class Usage extends Error {
  readonly next: string | undefined;

  constructor(message: string, next?: string) {
    super(message);
    this.name = "Usage";
    this.next = next;
  }
}
