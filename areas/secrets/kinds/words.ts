import { z } from "zod";

/** The name of one value of a secret: `password`, `tls.crt`, `AWS_SECRET_ACCESS_KEY`. */
export const secretKey = z.string().regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/, {
  error: "use 1 to 128 letters, digits, '_', '-' and '.', not beginning with '-' or '.'",
});
