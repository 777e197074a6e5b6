/** A backup that is not what it should be: the verdict of a verification, not a failure of it. */
export class Damaged extends Error {}
