/** Something that happened to a resource, in words a person reads. Repeats are counted, not piled up. */
export interface ResourceEvent {
  readonly at: string;
  readonly firstAt: string;
  readonly count: number;
  readonly tone: "normal" | "warning";
  readonly reason: string;
  readonly message: string;
}
