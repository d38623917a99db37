import { expect } from "chai";
import type { Packet } from "dns-packet";
import { dnssecOf, mailExchangersOf, nameserversOf } from "../../../services/assets/dns/records.ts";
import { cname, dnskey, mx, ns, soa } from "../../simulators/zones.ts";

const NAME = "zaak.example";
const reply = (parts: Partial<Packet>): Packet => ({ rcode: "NOERROR", answers: [], authorities: [], ...parts });

describe("what DNS says of a domain", () => {
  describe("name servers", () => {
    for (const [what, given, wanted] of [
      [
        "are each once, lower-case, without a dot at the end, sorted",
        reply({ answers: [ns(NAME, "NS2.Host.Example."), ns(NAME, "ns1.host.example"), ns("ZAAK.example", "ns2.host.example")] }),
        ["ns1.host.example", "ns2.host.example"],
      ],
      ["are none without an answer", null, []],
      ["are none after a failure", reply({ rcode: "SERVFAIL" }), []],
      ["are none of a name that is not there", reply({ rcode: "NXDOMAIN", authorities: [soa("example")] }), []],
      [
        "are not those behind an alias",
        reply({ answers: [cname(NAME, "host.example"), ns("host.example", "ns1.host.example")] }),
        [],
      ],
      ["are none of a referral", reply({ authorities: [ns(NAME, "ns1.host.example")] }), []],
      ["leave out what no database stores", reply({ answers: [ns(NAME, "a\u0000b.example"), ns(NAME, "")] }), []],
    ] as const)
      it(what, () => expect(nameserversOf(given, NAME)).to.deep.equal(wanted));

    it("are a hundred at most", () => {
      const many = Array.from({ length: 300 }, (_, n) => ns(NAME, `ns${n}.example`));
      expect(nameserversOf(reply({ answers: many }), NAME)).to.have.length(100);
    });
  });

  // The worked example of the chapter (assets §13.6).
  describe("whether it is signed", () => {
    for (const [what, given, wanted] of [
      ["is yes for a key set of two", reply({ answers: [dnskey(NAME), dnskey("Zaak.Example")] }), true],
      ["is no for a zone that is there and has none", reply({ authorities: [soa(NAME)] }), false],
      ["is no where a server leaves out the rest", reply({}), false],
      [
        "is no behind an alias, whose keys sign another zone",
        reply({ answers: [cname(NAME, "b.example"), dnskey("b.example")] }),
        false,
      ],
      ["is unknown without an answer in time", null, null],
      ["is unknown after a failure", reply({ rcode: "SERVFAIL" }), null],
      ["is unknown where it is refused", reply({ rcode: "REFUSED" }), null],
      ["is unknown for a name that is not there", reply({ rcode: "NXDOMAIN", authorities: [soa("example")] }), null],
      ["is unknown after a referral", reply({ authorities: [ns(NAME, "ns1.host.example")] }), null],
    ] as const)
      it(what, () => expect(dnssecOf(given, NAME)).to.equal(wanted));
  });

  describe("mail exchangers", () => {
    for (const [what, given, wanted] of [
      [
        "are sorted by priority, then by name, lower-case and without a dot at the end",
        reply({ answers: [mx(NAME, 20, "B.mail.example."), mx(NAME, 5, "z.mail.example"), mx(NAME, 20, "a.mail.example")] }),
        [
          { priority: 5, exchange: "z.mail.example" },
          { priority: 20, exchange: "a.mail.example" },
          { priority: 20, exchange: "b.mail.example" },
        ],
      ],
      [
        "are those behind an alias, which mail follows",
        reply({ answers: [cname(NAME, "host.example"), mx("host.example", 10, "mail.example")] }),
        [{ priority: 10, exchange: "mail.example" }],
      ],
      [
        "are a name of nothing where no mail is taken (RFC 7505)",
        reply({ answers: [mx(NAME, 0, ".")] }),
        [{ priority: 0, exchange: "" }],
      ],
      ["are none without an answer", null, []],
      ["are none after a failure", reply({ rcode: "SERVFAIL", answers: [mx(NAME, 1, "a.example")] }), []],
    ] as const)
      it(what, () => expect(mailExchangersOf(given)).to.deep.equal(wanted));
  });
});
