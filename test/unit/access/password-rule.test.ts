import { expect } from "chai";
import { passwordProblem } from "../../../core/security/password-rule.ts";

describe("passwordProblem", () => {
  const email = "anna@example.com";
  const cases: [name: string, password: string, expected: string | null][] = [
    ["7 characters", "a".repeat(7), "errors.password_too_short"],
    ["8 characters", "a".repeat(8), null],
    ["128 characters", "a".repeat(128), null],
    ["129 characters", "a".repeat(129), "errors.password_too_long"],
    ["7 characters in 14 UTF-16 units", "😀".repeat(7), "errors.password_too_short"],
    ["128 characters in 256 UTF-16 units", "😀".repeat(128), null],
    ["nothing", "", "errors.password_too_short"],
    ["the address", "anna@example.com", "errors.password_is_email"],
    ["the address in another case", "Anna@Example.COM", "errors.password_is_email"],
    ["the address with something behind it", "anna@example.com!", null],
  ];
  for (const [name, password, expected] of cases)
    it(`${name}: ${expected ?? "fine"}`, () => expect(passwordProblem(password, email)).to.equal(expected));
});
