"""What several artifacts of menamaldonado2021 share."""
