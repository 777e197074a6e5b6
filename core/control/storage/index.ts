/** Where what must outlive the database is kept: a folder, or a bucket of S3 or what speaks its language. */
export { folderStorage } from "./folder.ts";
export { s3Storage } from "./s3.ts";
export type { Storage } from "./storage.ts";
