import { expect } from "chai";
import { audienceOf } from "../../../services/work/comments/audience.ts";

const [writer, ana, ben, cis] = ["writer", "ana", "ben", "cis"];
const inThread = (id: string) => ({ id, in_thread: true });
const aside = (id: string) => ({ id, in_thread: false });

describe("the recipients of a comment (work chapter §3.8)", () => {
  const cases: [what: string, audience: ReturnType<typeof audienceOf>, expected: [string[], string[], string[]]][] = [
    ["roster and earlier commenters", audienceOf(writer, [], [aside(ana), aside(ben)]), [[], [], [ana, ben]]],
    ["those in the thread before the others", audienceOf(writer, [], [inThread(ana), aside(ben)]), [[], [ana], [ben]]],
    [
      "the mentioned before both",
      audienceOf(writer, [ben, ana], [inThread(ana), aside(ben), aside(cis)]),
      [[ben, ana], [], [cis]],
    ],
    ["the mentioned who were not there yet", audienceOf(writer, [ana], []), [[ana], [], []]],
    ["the writer of nothing", audienceOf(writer, [writer], [inThread(writer)]), [[], [], []]],
    ["everyone of what no person wrote", audienceOf(null, [ana], [inThread(ben), aside(cis)]), [[ana], [ben], [cis]]],
  ];
  for (const [what, { mentioned, replied, commented }, expected] of cases)
    it(`reports ${what}`, () => expect([mentioned, replied, commented]).to.deep.equal(expected));
});
