/** A file name that every file system accepts. */
export function fileName(title: string, extension: string): string {
  const plain = title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^\w.-]+/g, '-')
    .replace(/^[-.]+|[-.]+$/g, '');
  return `${plain.slice(0, 80) || 'backsolve'}.${extension}`;
}
