import { v5 } from "uuid";

/** The namespace of the ids of demo records (RFC 9562 §5.5). */
const DEMO = "6b0d5c1e-3f5a-4c7e-9a51-0d2f4b8c7e10";

/**
 * The id of a record of a demo organisation, the same in every installation: examples of the API document name records by it, so that they
 * can be sent to the demo as they are.
 * @param kind where the API has the records, such as `tasks/templates`
 * @param nth the record of that kind that is meant, from 0
 * @param slug the organisation's
 */
export const demoId = (kind: string, nth = 0, slug = "demo"): string => v5(`${slug}/${kind}/${nth}`, DEMO);

/** Ids for the records of a demo organisation in the order in which they are made: each call returns the next one of the kind. */
export function demoIds({ slug }: { slug: string }): (kind: string) => string {
  const made = new Map<string, number>();
  return (kind) => {
    const nth = made.get(kind) ?? 0;
    made.set(kind, nth + 1);
    return demoId(kind, nth, slug);
  };
}
