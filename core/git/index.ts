/** Git by its program, with nothing of the host's own in it, and who may tell of a push. */
export { type GitAccess, openAccess } from "./access.ts";
export { type GitCall, GitFailed, type GitPlace, git } from "./command.ts";
export { type Commit, hasCommit, listCommits, says } from "./log.ts";
export { isFromGitServer, isSignedWith, type SignedRequest } from "./push.ts";
export { fetchTip, type RemoteRef, refName, remoteTip } from "./remote.ts";
export { listTree, readFiles, type TreeFile } from "./tree.ts";
