import { expect } from "chai";
import { asciiName } from "../../../core/values/host-name.ts";

const EXAMPLES: readonly (readonly [reported: string, ascii: string])[] = [
  ["grüße.example", "xn--gre-6ka8l.example"],
  ["XN--GRE-6KA8L.Example.", "xn--gre-6ka8l.example"],
  [" www.Grüne-Äpfel.example ", "www.xn--grne-pfel-z2a4x.example"],
  ["*.grüße.example", "*.xn--gre-6ka8l.example"],
  ["_dmarc.grüße.example", "_dmarc.xn--gre-6ka8l.example"],
  ["例え。テスト", "xn--r8jz45g.xn--zckzah"],
  // A label of digits is not an address, in any script.
  ["１２７.grüße.example", "127.xn--gre-6ka8l.example"],
  ["a%41.example", "a%41.example"],
  // What no domain may have stays as it is, for a reader to refuse.
  ["a\u00adb\u2028c.example", "a\u00adb\u2028c.example"],
  ["@", "@"],
  ["", ""],
];

describe("a name as it is stored and compared", () => {
  for (const [reported, ascii] of EXAMPLES)
    it(`is ${JSON.stringify(ascii)} for ${JSON.stringify(reported)}`, () => {
      expect(asciiName(reported)).to.equal(ascii);
      expect(asciiName(ascii), "a second time").to.equal(ascii);
    });
});
