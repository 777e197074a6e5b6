/** What of the inside of a server can be looked at. */
export const debugTopics = ["reconcilers", "leases", "links", "lane", "runs", "agents"] as const;
