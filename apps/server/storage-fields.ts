import { isAbsolute } from "node:path";
import { z } from "zod";

/** Where something is kept. */
export const storagePlace = z
  .string()
  .refine((to) => isAbsolute(to) || /^s3:\/\/[^/]+/.test(to), {
    error: "write it as /folder or s3://bucket/path",
  })
  .optional();

/** How to get there when it is a bucket. */
export const s3Endpoint = z
  .url({ protocol: /^https?$/ })
  .optional()
  .describe("the address of the S3 storage; Amazon's when unset");
export const s3Region = z.string().default("us-east-1").describe("its region");
export const s3AccessKey = z.string().optional().describe("the id of the access key");
export const s3SecretFile = z.string().optional().describe("a file with the secret of the access key");
