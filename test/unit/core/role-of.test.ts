import { expect } from "chai";
import { readConfig } from "../../../core/config/config.ts";
import { roleOf } from "../../../migrations/run.ts";

describe("the role of a PostgreSQL address", () => {
  const addresses: [address: string, role: string][] = [
    ["postgres://kantoor_app:x@localhost:5432/kantoor", '"kantoor_app"'],
    ["postgres://my%22role@h/d", '"my""role"'],
    ["postgresql://kantoor_app@/kantoor?host=/run/postgresql", '"kantoor_app"'],
    ["postgres://kantoor_app:x@/kantoor?host=/run/postgresql", '"kantoor_app"'],
  ];
  for (const [address, role] of addresses)
    it(`is ${role} of ${address}, which the settings accept`, () => {
      const secret = "0123456789abcdef0123456789abcdef-made-up";
      expect(readConfig({ SERVICE_DATABASE_URL: address, SERVICE_SECRET: secret }).databaseUrl).to.equal(address);
      expect(roleOf(address)).to.equal(role);
    });
});
