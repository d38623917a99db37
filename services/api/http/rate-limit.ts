import type { Budget } from "../../../core/http/rate-limit.ts";

export const budgetHeaders = ({ limit, remaining, reset }: Budget): Record<string, string> => ({
  "RateLimit-Limit": String(limit),
  "RateLimit-Remaining": String(remaining),
  "RateLimit-Reset": String(reset),
});
