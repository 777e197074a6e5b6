import { z } from "zod";

/** A setting with several words: a list in the file, commas elsewhere. */
export const words = z.union([
  z.array(z.string()),
  z.string().transform((text) =>
    text
      .split(",")
      .map((part) => part.trim())
      .filter(Boolean),
  ),
]);
