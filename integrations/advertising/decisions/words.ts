import { normalised } from "../policy/terms.ts";

export const SUBJECT_TYPES = ["search_term", "keyword", "campaign", "ad_group", "budget", "ad"] as const;
export type SubjectType = (typeof SUBJECT_TYPES)[number];

export const DECISIONS = [
  "excluded",
  "kept",
  "added",
  "removed",
  "paused",
  "enabled",
  "created",
  "budget_changed",
  "bid_changed",
] as const;
export type DecisionWord = (typeof DECISIONS)[number];

/** The scope of a decision: the whole account, or one object in it. */
export const SCOPE = /^(account|(campaign|ad_group|shared_set):[0-9]{1,32})$/;

/** The comparison form of a subject, which ignores case and extra spaces. */
export const subjectKey = (subject: string): string => normalised(subject);
