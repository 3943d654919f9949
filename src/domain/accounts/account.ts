/** An account created by registration. There are no passwords: the API key is the only credential. */
export interface Account {
  readonly id: number;
  /** Also the account's name, which an operator uses to create more keys for it. */
  readonly email: string;
  readonly company: string;
  readonly fullName: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly timeZone: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly disabledAt: Date | null;
}
