/** An account that registered itself. There are no passwords: the API key is the only credential. */
export interface Account {
  readonly id: number;
  /** Also the name of the account, by which an operator makes further keys for it. */
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
