import { expect } from "chai";
import { inTheClear } from "../../../operator/doctor/database-check.ts";

describe("doctor on the way to PostgreSQL", () => {
  const cases: [name: string, ssl: boolean, address: string | null, warns: boolean][] = [
    ["a socket of this machine", false, null, false],
    ["this machine by its loopback address", false, "127.0.0.1", false],
    ["this machine over IPv6", false, "::1", false],
    ["another machine in the clear", false, "10.0.0.5", true],
    ["another machine over IPv6 in the clear", false, "2001:db8::5", true],
    ["another machine over TLS", true, "10.0.0.5", false],
  ];
  for (const [name, ssl, address, warns] of cases)
    it(`${warns ? "warns of" : "says nothing about"} ${name}`, () => {
      const found = inTheClear({ ssl, address });
      expect(found.map(({ check, state }) => [check, state])).to.deep.equal(warns ? [["encryption", "warning"]] : []);
      if (address !== null && warns) expect(found[0]?.found).to.contain(address);
    });
});
