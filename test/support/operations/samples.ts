export const page = { page: 1, limit: 50 };

export const newTransfer = {
  method: 'WARM',
  destinationType: 'DEPARTMENT',
  destination: 'Office',
  conditions: 'Asks for it',
} as const;

export const never = () => {
  throw new Error('Nothing is to be reported');
};
