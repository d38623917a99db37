/**
 * The reason in the details of a refusal because a model's answer could not be read, twice (work §3.11). The same question would get the same
 * answer, so a job does not repeat it.
 */
export const UNREADABLE_ANSWER = "unreadable_answer";
