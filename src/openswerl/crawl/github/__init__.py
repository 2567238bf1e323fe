"""What GitHub is asked about a pull request, by GraphQL and REST, and what is kept of its answers."""
