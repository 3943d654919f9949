export const MODEL_NAME_LENGTH = { minimum: 4, maximum: 96 } as const;
export const MODEL_DESCRIPTION_MINIMUM_LENGTH = 8;

export interface Model {
  readonly id: number;
  readonly name: string;
  readonly description: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly disabledAt: Date | null;
}
